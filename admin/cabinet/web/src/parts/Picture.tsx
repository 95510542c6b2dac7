import { IconPhoto } from "@tabler/icons-react";
import { useState } from "react";
import { currentShop } from "../api/client";

// Picture shows a file of the library as members see it, at most as wide as asked. The file may have
// been deleted since.
export function Picture({ id, size, alt = "" }: { id: string | null | undefined; size: number; alt?: string }) {
  const [broken, setBroken] = useState<string>();
  if (!id || id === broken) {
    return (
      <span className="picture" style={{ width: size, height: size, display: "grid", placeItems: "center" }} aria-hidden>
        <IconPhoto size={size / 2} stroke={1} />
      </span>
    );
  }
  return <img className="picture" src={`/v1/storages/files/${id}/image?w=${size * 2}&shop=${currentShop()}`} width={size} height={size} alt={alt} loading="lazy" decoding="async" onError={() => setBroken(id)} />;
}
