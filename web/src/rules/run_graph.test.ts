import { describe, expect, it } from 'vitest';
import { graphOf } from './run_graph';

describe('run graph', () => {
  it('follows steps, and leads to parent and children', () => {
    const steps = [
      { id: '1', name: 'a', kind: 'function' as const, state: 'failed' as const, attempt: 1 },
      { id: '2', name: 'a', kind: 'function' as const, state: 'completed' as const, attempt: 2 },
      { id: '3', name: 'b', kind: 'child' as const, state: 'waiting' as const, attempt: 1, child: 'c' },
    ];
    const graph = graphOf({ id: 'r', type: 'order', state: 'running', parent: { run: 'p', step: 's' } }, steps);
    expect(graph.nodes.map((node) => [node.id, node.state])).toEqual([['r', 'running'], ['p', 'unknown'], ['step:a', 'completed'], ['step:b', 'waiting'], ['c', 'waiting']]);
    expect(graph.edges).toContainEqual({ from: 'step:b', to: 'c' });
    expect(graph.edges).toContainEqual({ from: 'p', to: 'r' });
  });
});
