import "./List.css";
import { useRouter } from "@tanstack/react-router";
import type { AnchorHTMLAttributes } from "react";

interface RowLinkProps extends AnchorHTMLAttributes<HTMLAnchorElement> {
  to: "/$shop/products/$id" | "/$shop/orders/$id" | "/$shop/customers/$id" | "/$shop/sections/$id";
  params: { shop: string; id: string };
}

let intended: number | undefined;

// RowLink is the link of a row to its object. A link of the router takes as long to draw as the rest of a row.
export function RowLink({ to, params, className = "", ...props }: RowLinkProps) {
  const router = useRouter();
  const prepare = () => {
    clearTimeout(intended);
    intended = setTimeout(() => void router.preloadRoute({ to, params }).catch(() => undefined), router.options.defaultPreloadDelay);
  };
  return (
    <a
      href={router.basepath + to.replace("$shop", params.shop).replace("$id", params.id)}
      className={`row-link ${className}`}
      dir="auto"
      onMouseEnter={prepare}
      onFocus={prepare}
      onMouseLeave={() => clearTimeout(intended)}
      onClick={(e) => {
        if (e.button !== 0 || e.ctrlKey || e.metaKey || e.shiftKey || e.altKey) return; // another tab or window
        e.preventDefault();
        void router.navigate({ to, params });
      }}
      {...props}
    />
  );
}
