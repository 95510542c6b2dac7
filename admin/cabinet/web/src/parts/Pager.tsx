import { Pagination } from "@mantine/core";

// Pager leads through the pages of a list. The first page is undefined in the address.
export function Pager({ total, size, page = 1, onPage }: { total: number; size: number; page: number | undefined; onPage: (page: number | undefined) => void }) {
  if (total <= size && page === 1) return null;
  return (
    <Pagination
      total={Math.max(1, Math.ceil(total / size))}
      value={page}
      onChange={(n) => onPage(n > 1 ? n : undefined)}
      getItemProps={(n) => ({ "aria-label": String(n) })}
      getControlProps={(control) => ({ "aria-label": control })}
    />
  );
}
