import { closestMatch } from "leven";

/**
 * A fault that the user can fix. Shown without a stack trace; every other error is a fault of this
 * program.
 */
export class UserError extends Error {
  next: string;
  exitCode: number;

  /**
   * @param fact what is wrong
   * @param next what was expected, and the next step
   * @param exitCode 1, or 2 for a wrong command line
   */
  constructor(fact: string, next = "", exitCode = 1) {
    super(fact);
    this.next = next;
    this.exitCode = exitCode;
  }
}

/** Of battles, proxies, groups and events. */
export const SEE_LIST = "./bench list shows them all.";

/**
 * The name that was probably meant, for any list of names but that of commander's options.
 *
 * @returns a question, and a blank after it; empty when no name is near
 */
export function didYouMean(name: string, known: string[]): string {
  const nearest = closestMatch(name, known, {
    maxDistance: Math.max(2, Math.floor(name.length / 2)),
  });
  return nearest ? `Did you mean ${nearest}? ` : "";
}
