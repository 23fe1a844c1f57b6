// Who did what, newest first. A page may be short while there is more, so it is read on by hand.
import { useLocation } from 'preact-iso';
import { useEffect, useState } from 'preact/hooks';
import { answer, api, type Schemas } from '../api/client';
import { asProblem, type Problem } from '../api/problem';
import { epoch } from '../data/connection';
import { namespace, namespaceQuery } from '../data/namespace';
import { Card } from '../parts/card';
import { CommandLine } from '../parts/copy';
import { Empty, Skeleton, Trouble } from '../parts/loading';
import { Page } from '../parts/page';
import { When } from '../parts/when';
import { line } from '../rules/cli';
import { clip, visible } from '../rules/text';

type Row = Schemas['AuditRow'];

const FIELDS = ['action', 'who', 'target', 'outcome'] as const;
const PAGE = 100;
const PAGES_AT_ONCE = 20;

export function Audit() {
  const { query, route } = useLocation();
  const [rows, setRows] = useState<Row[]>();
  const [next, setNext] = useState<string>();
  const [problem, setProblem] = useState<Problem>();
  const wanted = Object.fromEntries(FIELDS.filter((field) => query[field]).map((field) => [field, query[field]!]));
  const key = JSON.stringify([wanted, namespace.value, epoch.value]);

  const read = async (before: Row[], cursor: string | undefined, abort?: AbortSignal) => {
    try {
      let found = before;
      let from = cursor;
      // Pages of rows that do not match are empty; some are looked through at once.
      for (let page = 0; page < PAGES_AT_ONCE; page += 1) {
        const answered = await answer(api.GET('/api/v1/audit', { params: { query: { ...namespaceQuery(), ...wanted, limit: PAGE, ...(from && { cursor: from }) } }, ...(abort && { signal: abort }) }));
        found = [...found, ...(answered.audit ?? [])];
        from = answered.next;
        if (!from || found.length >= before.length + PAGE / 2) break;
      }
      setRows(found);
      setNext(from);
      setProblem(undefined);
    } catch (error) {
      if (!abort?.aborted) setProblem(asProblem(error));
    }
  };
  useEffect(() => {
    const abort = new AbortController();
    void read([], undefined, abort.signal);
    return () => abort.abort();
  }, [key]);

  const narrow = (field: string, value: string) => {
    const words = new URLSearchParams({ ...wanted, [field]: value });
    if (!value) words.delete(field);
    route(words.size ? `/audit?${words}` : '/audit', true);
  };
  return (
    <Page title="Audit" sub="who did what, newest first">
      <div class="filters" role="search" aria-label="Filter audit rows">
        {FIELDS.map((field) => (
          <input key={field} type="text" aria-label={field} placeholder={{ action: 'action, or noun', who: 'who', target: 'target begins with', outcome: 'outcome' }[field]} value={wanted[field] ?? ''} onChange={(event) => narrow(field, event.currentTarget.value.trim())} />
        ))}
      </div>
      <Card>
        {problem && !problem.isUnreachable && <Trouble problem={problem} retry={() => void read([], undefined)} />}
        {!rows ? (
          !problem && <Skeleton rows={10} />
        ) : rows.length === 0 ? (
          <Empty title="Nothing was done yet">Interventions of operators and attempts at them appear here.</Empty>
        ) : (
          <div class="scroll" tabIndex={0} role="region" aria-label="Audit rows">
            <table>
              <thead>
                <tr>
                  <th>When</th>
                  <th>Who</th>
                  <th>Role</th>
                  <th>Action</th>
                  <th>Target</th>
                  <th>Namespace</th>
                  <th>Outcome</th>
                  <th>From</th>
                </tr>
              </thead>
              <tbody>
                {rows.map((row) => (
                  <tr key={row.id}>
                    <td>
                      <When at={row.at} />
                    </td>
                    <td class="strong">{visible(row.who ?? '') || '–'}</td>
                    <td class="soft">{row.role}</td>
                    <td class="mono">{row.action}</td>
                    <td class="wrap-anywhere">{clip(row.target ?? '', 120)}</td>
                    <td class="soft">{row.namespace ?? '–'}</td>
                    <td class={row.outcome === 'ok' ? 'good' : 'bad'}>{visible(row.outcome ?? '')}</td>
                    <td class="faint mono">{row.address}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </Card>
      <div class="row">
        {next && (
          <button type="button" onClick={() => void read(rows ?? [], next)}>
            Older rows
          </button>
        )}
      </div>
      <CommandLine command={line(['audit', 'list'], { ...(namespace.value ? { namespace: namespace.value } : { 'all-namespaces': true }), ...wanted })} />
    </Page>
  );
}
