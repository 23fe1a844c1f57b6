// A workflow's run as somebody asked for it in the dialog, for the API and for the command line.
import { line } from './cli';

export interface TypedRun {
  type?: string;
  queue?: string;
  external?: string;
  input?: string;
}

/** The body of `POST /runs`; `payload` is what the input was read as. */
export function runBody(namespace: string, { type, queue, external }: TypedRun, payload: unknown) {
  return { namespace, type: type ?? '', ...(queue && { queue }), ...(external && { external_id: external }), ...(payload !== undefined && { payload: payload as never }) };
}

export function runCommand(namespace: string, { type, queue, external, input }: TypedRun): string {
  return line(['workflow', 'start'], { type: type || 'TYPE', queue, id: external, input, namespace });
}
