// Settings that differ between nodes, as a table: a row each, a cell for each node.
export interface Difference {
  name?: string;
  own?: boolean;
  known?: boolean;
  values?: { node?: string; value?: string; group?: number }[];
}

export interface Cell {
  node: string;
  /** Absent: this node does not know the setting. */
  value?: string;
  /** Most nodes have another value. */
  isOdd: boolean;
}

export interface Row {
  name: string;
  state: 'differs' | 'unknown' | 'own';
  cells: Cell[];
}

export function differenceRows(nodes: string[], differences: Difference[]): Row[] {
  return differences.map((one) => {
    const values = one.values ?? [];
    const usual = majority(values.map((each) => each.group ?? 0));
    return {
      name: one.name ?? '',
      state: one.own ? 'own' : one.known ? 'differs' : 'unknown',
      cells: nodes.map((node) => {
        const held = values.find((each) => each.node === node);
        if (!held) return { node, isOdd: false };
        return { node, value: held.value ?? '', isOdd: !one.own && usual !== undefined && held.group !== usual };
      }),
    };
  });
}

/** What more than half of them are; undefined: nothing is. */
function majority(groups: number[]): number | undefined {
  return groups.find((group) => groups.filter((each) => each === group).length * 2 > groups.length);
}
