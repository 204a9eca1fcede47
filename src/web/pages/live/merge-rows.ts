export interface TailRow {
  id: string;
  created_at: string | null;
}

const maxRows = 200;

export const timeOf = ({ created_at }: TailRow): number => (created_at === null ? 0 : Date.parse(created_at));

/** The rows together with newly loaded ones, newest first. A row that was loaded again replaces the earlier one. */
export const merged = <Row extends TailRow>(rows: readonly Row[], loaded: readonly Row[], max = maxRows): Row[] => {
  const byId = new Map([...rows, ...loaded].map((row) => [row.id, row]));
  return [...byId.values()].toSorted((a, b) => timeOf(b) - timeOf(a) || (a.id < b.id ? 1 : -1)).slice(0, max);
};
