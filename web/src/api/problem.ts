// What went wrong with a call, in the server's own words (RFC 9457) or, when no server answered, in ours.

export class Problem extends Error {
  constructor(
    readonly code: string,
    readonly status: number,
    readonly detail: string,
  ) {
    super(detail);
  }

  /** Nobody answered: the page goes on showing what it has and asks again by itself. */
  get isUnreachable(): boolean {
    return this.status === 0;
  }

  /** The server has no such route: the part of the page that needs it hides. */
  get isMissingRoute(): boolean {
    return this.status === 405 || (this.status === 404 && /^there is nothing at /.test(this.detail));
  }
}

export function problemOf(body: unknown, status: number): Problem {
  if (body !== null && typeof body === 'object' && 'code' in body) {
    const { code, detail } = body as { code?: string; detail?: string };
    return new Problem(code ?? 'internal', status, detail ?? `the server answered ${status}`);
  }
  return new Problem('internal', status, `the server answered ${status} without saying why`);
}

export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  return new Problem('unreachable', 0, 'the server does not answer');
}
