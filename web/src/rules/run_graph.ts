// What a run consists of and waits for, as a graph: the run, its steps in the order of their first begin, and the children behind them.
import type { Step } from './gantt';

export interface GraphNode {
  id: string;
  label: string;
  kind: 'run' | Step['kind'];
  state: string;
  href?: string;
}

export interface GraphEdge {
  from: string;
  to: string;
}

export interface Graph {
  nodes: GraphNode[];
  edges: GraphEdge[];
}

const NODES_MAX = 300;

interface RunLike {
  id: string;
  type: string;
  state: string;
  parent?: { run?: string; step?: string };
  after?: string[];
}

export function graphOf(run: RunLike, steps: Step[]): Graph {
  const nodes: GraphNode[] = [{ id: run.id, label: run.type, kind: 'run', state: run.state }];
  const edges: GraphEdge[] = [];
  if (run.parent?.run) {
    nodes.push({ id: run.parent.run, label: 'parent', kind: 'run', state: 'unknown', href: `/workflows/${run.parent.run}` });
    edges.push({ from: run.parent.run, to: run.id });
  }
  for (const id of run.after ?? []) {
    nodes.push({ id, label: 'waits for', kind: 'run', state: 'unknown', href: `/jobs/${id}` });
    edges.push({ from: id, to: run.id });
  }
  const newest = new Map<string, Step>();
  for (const step of steps) newest.set(step.name, step);
  let before = run.id;
  for (const step of newest.values()) {
    if (nodes.length >= NODES_MAX) break;
    const id = `step:${step.name}`;
    nodes.push({ id, label: step.name, kind: step.kind, state: step.state });
    edges.push({ from: before, to: id });
    if (step.child) {
      nodes.push({ id: step.child, label: 'child', kind: 'run', state: step.state, href: `/workflows/${step.child}` });
      edges.push({ from: id, to: step.child });
    }
    before = id;
  }
  return { nodes, edges };
}
