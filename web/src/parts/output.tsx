// What a job puts out while it runs, read on as it comes; and the logs of its tools. Text only, with unseen characters shown.
import { useEffect, useRef, useState } from 'preact/hooks';
import { answer, api, type Schemas } from '../api/client';
import { asProblem, type Problem } from '../api/problem';
import { epoch } from '../data/connection';
import { useQuery } from '../data/query';
import { visible } from '../rules/text';
import { Empty, Shown, Skeleton, Trouble } from './loading';

type Chunk = Schemas['OutputChunk'];

const WAIT_MS = 10_000;
const CHUNKS_KEPT = 5000;
const AFTER_TROUBLE_MS = 2000;

export function LiveOutput({ id }: { id: string }) {
  const [chunks, setChunks] = useState<Chunk[]>();
  const [isOver, setOver] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const box = useRef<HTMLDivElement>(null);
  const turn = epoch.value;

  useEffect(() => {
    const abort = new AbortController();
    let after: number | undefined;
    const read = async () => {
      while (!abort.signal.aborted) {
        try {
          const page = await answer(
            api.GET('/api/v1/jobs/{id}/output', { params: { path: { id }, query: { ...(after !== undefined && { after, wait_ms: WAIT_MS }), limit: 1000 } }, signal: abort.signal }),
          );
          after = page.next ?? after ?? 0;
          setProblem(undefined);
          setChunks((before) => [...(before ?? []), ...(page.chunks ?? [])].slice(-CHUNKS_KEPT));
          const hasEnded = page.state === 'completed' || page.state === 'dead' || page.state === 'cancelled';
          if (hasEnded && !page.more) {
            setOver(true);
            return;
          }
        } catch (error) {
          if (abort.signal.aborted) return;
          setProblem(asProblem(error));
          await new Promise((resolve) => setTimeout(resolve, AFTER_TROUBLE_MS));
        }
      }
    };
    setChunks(undefined);
    setOver(false);
    void read();
    return () => abort.abort();
  }, [id, turn]);

  // The end stays in sight unless somebody has scrolled away from it.
  const isAtEnd = useRef(true);
  useEffect(() => {
    if (isAtEnd.current && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [chunks]);

  if (problem && !chunks) return <Trouble problem={problem} />;
  if (!chunks) return <Skeleton rows={3} />;
  if (chunks.length === 0) return <Empty title={isOver ? 'It put nothing out' : 'Nothing yet'}>{isOver ? '' : 'What the worker reports appears here as it comes.'}</Empty>;
  return (
    <div
      class="output"
      ref={box}
      role="log"
      aria-label="Output"
      tabIndex={0}
      onScroll={() => {
        const { scrollTop, scrollHeight, clientHeight } = box.current!;
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < 24;
      }}
    >
      {chunks.map((chunk) => (
        <span key={chunk.number} class={chunk.channel}>
          {chunk.text !== undefined ? visible(chunk.text) : `‹${chunk.data_base64?.length ?? 0} bytes of base64›`}
        </span>
      ))}
    </div>
  );
}

export function Logs({ id }: { id: string }) {
  const logs = useQuery(`logs ${id}`, (signal) => answer(api.GET('/api/v1/jobs/{id}/logs', { params: { path: { id } }, signal })) as Promise<Schemas['JobLogs']>);
  return (
    <Shown query={logs} rows={3}>
      {(data) =>
        data.stdout || data.stderr ? (
          <div class="output" role="log" aria-label="Logs" tabIndex={0}>
            <span>{visible(data.stdout ?? '')}</span>
            <span class="stderr">{visible(data.stderr ?? '')}</span>
          </div>
        ) : (
          <Empty title="No logs" command={`muster job logs ${id}`}>
            Its tools wrote nothing to standard output or standard error.
          </Empty>
        )
      }
    </Shown>
  );
}
