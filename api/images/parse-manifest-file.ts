import { type Manifest, manifest } from '../../contract/catalog.ts';
import { fieldProblemsOf } from '../../contract/errors.ts';
import { holdsMoreValues, maxRequestValues } from '../../contract/json-values.ts';
import { manifestPatterns, manifestProblems } from '../../contract/manifest-validation.ts';
import type { JudgePattern, PatternTask } from '../../contract/patterns.ts';
import { ImageError } from '../../lib/oci/errors.ts';

const maxProblems = 5;

export type RunPatterns = (tasks: readonly PatternTask[]) => Promise<JudgePattern>;

/** Parses the manifest in an image's file by the rules of a pasted one. Throws ImageError `manifest_malformed`. */
export async function parseManifestFile(file: Buffer, runPatterns: RunPatterns): Promise<Manifest> {
  const parsed = manifest.safeParse(parseJson(file));
  const problems = parsed.success
    ? manifestProblems(parsed.data, await runPatterns(manifestPatterns(parsed.data)))
    : fieldProblemsOf(parsed.error, ['manifest']);
  if (parsed.success && problems.length === 0) {
    return parsed.data;
  }
  const named = problems.slice(0, maxProblems).map(({ path, message }) => `${path}: ${message}`);
  throw malformed(named.join('; '));
}

function parseJson(file: Buffer): unknown {
  if (holdsMoreValues(file, maxRequestValues)) {
    throw malformed(`it holds more than ${maxRequestValues} JSON values`);
  }
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(file));
  } catch {
    throw malformed('is not JSON');
  }
}

function malformed(reason: string): ImageError {
  return new ImageError('manifest_malformed', `/mcp-manifest.json of the image is not usable: ${reason}`);
}
