import { lazy, Suspense } from "react";

export interface Difference {
  name: string;
  label: string;
  mine: string;
  theirs: string;
}

export interface ConflictProps {
  who: string;
  differences: Difference[];
  onChoose: (theirs: string[]) => void;
  onClose: () => void;
}

const Dialog = lazy(() => import("./ConflictDialog"));

// Conflict is loaded when two people edited the same object.
export function Conflict(props: ConflictProps) {
  return (
    <Suspense>
      <Dialog {...props} />
    </Suspense>
  );
}
