// Whether a server has an optional route, by its answer to a first question.

/** A question by GET that is about the whole server: whoever may not ask has nothing of the route. */
export function isAnswered(status: number): boolean {
  return status >= 200 && status < 300;
}

/** The same of a route that knows one namespace at a time: whoever is refused the default one may have it in another. */
export function isAnsweredSomewhere(status: number): boolean {
  return isAnswered(status) || status === 403;
}

/** By the methods a path accepts (the header `Allow` of an answer to OPTIONS): for routes that a question would set to work. */
export function isAccepted(method: string, allow: string | null): boolean {
  return (allow ?? '').split(',').some((word) => word.trim().toUpperCase() === method);
}
