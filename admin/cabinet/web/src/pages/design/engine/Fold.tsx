import { useState, type ReactNode } from "react";

// Fold hides what is set rarely.
export function Fold({ title, open, children }: { title: ReactNode; open?: boolean; children: ReactNode }) {
  const [shown, setShown] = useState(open ?? false);
  return (
    <details className="fold" open={shown} onToggle={(e) => setShown(e.currentTarget.open)}>
      <summary>{title}</summary>
      {shown && <div className="fold-body">{children}</div>}
    </details>
  );
}
