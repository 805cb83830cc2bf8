/**
 * Recognises the messages of npm, uv and pip about a package, or a version of it, that is not
 * in their registry. Pure.
 */
const notFound =
  /\bnpm (?:error|ERR!) code (?:E404|ETARGET)\b|\bwas not found in the package registry\b|\bthere (?:is|are) no versions? of\b|\bNo matching distribution found for\b/;

/**
 * Expects the end of what a package manager wrote before it gave up; tolerates any line wrapping. A
 * hostile package can forge it.
 */
export const saysPackageNotFound = (written: string): boolean =>
  notFound.test(written.replaceAll(/\s+/g, ' '));
