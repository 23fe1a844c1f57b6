// A graph of what waits for what, laid out by dagre (loaded when the first graph is shown) and drawn as SVG.
import { useEffect, useState } from 'preact/hooks';
import { loaded } from '../data/missing_file';
import type { Graph, GraphNode } from '../rules/run_graph';
import { clip } from '../rules/text';
import { Skeleton } from './loading';

const WIDTH = 150;
const HEIGHT = 40;

interface Placed {
  nodes: (GraphNode & { x: number; y: number })[];
  edges: { key: string; path: string }[];
  width: number;
  height: number;
}

async function placed(graph: Graph): Promise<Placed> {
  const dagre = await loaded(import('@dagrejs/dagre'), (file) => file.default);
  const layout = new dagre.graphlib.Graph();
  layout.setGraph({ rankdir: 'LR', nodesep: 18, ranksep: 42, marginx: 8, marginy: 8 });
  layout.setDefaultEdgeLabel(() => ({}));
  for (const node of graph.nodes) layout.setNode(node.id, { width: WIDTH, height: HEIGHT });
  for (const edge of graph.edges) layout.setEdge(edge.from, edge.to);
  dagre.layout(layout);
  const size = layout.graph();
  return {
    nodes: graph.nodes.map((node) => ({ ...node, x: layout.node(node.id).x, y: layout.node(node.id).y })),
    edges: layout.edges().map((edge) => ({
      key: `${edge.v} ${edge.w}`,
      path: layout
        .edge(edge)
        .points.map((point: { x: number; y: number }, at: number) => `${at === 0 ? 'M' : 'L'}${point.x} ${point.y}`)
        .join(''),
    })),
    width: size.width ?? 0,
    height: size.height ?? 0,
  };
}

export function GraphView({ graph, label }: { graph: Graph; label: string }) {
  const [drawn, setDrawn] = useState<Placed>();
  const key = JSON.stringify(graph);
  useEffect(() => {
    let isGone = false;
    void placed(graph).then((done) => isGone || setDrawn(done));
    return () => {
      isGone = true;
    };
  }, [key]);
  if (!drawn) return <Skeleton rows={4} />;
  return (
    <div class="graph" tabIndex={0} role="region" aria-label={label}>
      <svg width={drawn.width} height={drawn.height} role="img" aria-label={`${label}: ${graph.nodes.map((node) => `${clip(node.label, 40)} ${node.state}`).join(', ')}`}>
        <defs>
          <marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
            <path d="M0 0L8 4L0 8z" />
          </marker>
        </defs>
        {drawn.edges.map((edge) => (
          <path key={edge.key} d={edge.path} marker-end="url(#arrow)" />
        ))}
        {drawn.nodes.map((node) => (
          <Node key={node.id} node={node} />
        ))}
      </svg>
    </div>
  );
}

function Node({ node }: { node: GraphNode & { x: number; y: number } }) {
  const box = (
    <g class={node.state} transform={`translate(${node.x - WIDTH / 2} ${node.y - HEIGHT / 2})`}>
      <rect width={WIDTH} height={HEIGHT} rx="6" />
      <text x="10" y="17">
        {clip(node.label, 20)}
      </text>
      <text class="kind" x="10" y="31">
        {node.kind}
        {node.state === 'unknown' ? '' : ` · ${node.state}`}
      </text>
    </g>
  );
  return node.href ? (
    <a href={node.href} aria-label={`${node.label} ${node.id}`}>
      {box}
    </a>
  ) : (
    box
  );
}
