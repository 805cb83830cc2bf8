/** What package managers write about a package that their registry does not have, or not in that version: npm, uv, pip. Pure. */
const notFound =
  /\bnpm (?:error|ERR!) code (?:E404|ETARGET)\b|\bwas not found in the package registry\b|\bthere (?:is|are) no versions? of\b|\bNo matching distribution found for\b/;

/** Lines may be broken anywhere. True for the end of what a package manager wrote before it gave up. A hostile package can write the same. */
export const saysPackageNotFound = (written: string): boolean =>
  notFound.test(written.replaceAll(/\s+/g, ' '));
