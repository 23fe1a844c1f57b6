// Whether a server has an optional route, by its answer to a first question.

/** A question by GET: also whoever may not ask learns that the route is there. */
export function isAnswered(status: number): boolean {
  return (status >= 200 && status < 300) || status === 403;
}

/** By the methods a path accepts (the header `Allow` of an answer to OPTIONS): for routes that a question would set to work. */
export function isAccepted(method: string, allow: string | null): boolean {
  return (allow ?? '').split(',').some((word) => word.trim().toUpperCase() === method);
}
