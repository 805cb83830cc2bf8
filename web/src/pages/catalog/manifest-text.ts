/**
 * A manifest as text: read with the platform's own rules, so that what is accepted here is accepted there.
 */
import {
  type Manifest as ContractManifest,
  manifest as manifestSchema,
} from '../../../../contract/catalog.ts';
import { type FieldProblem, fieldProblemsOf } from '../../../../contract/errors.ts';
import { manifestProblems } from '../../../../contract/manifest-validation.ts';
import type { Manifest, ManifestEnvField } from '../../api/types.ts';
import { judgePattern } from '../../text/judge-pattern.ts';

export interface ReadManifest {
  /** Null when it is empty or has problems. */
  manifest: Manifest | null;
  problems: FieldProblem[];
}

/** Empty text is no manifest and no problem. */
export function readManifest(text: string): ReadManifest {
  if (text.trim() === '') {
    return { manifest: null, problems: [] };
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return failed([{ path: 'manifest', code: 'not_json', message: notJson(error) }]);
  }
  const parsed = manifestSchema.safeParse(value);
  if (!parsed.success) {
    return failed(fieldProblemsOf(parsed.error, ['manifest']));
  }
  const problems = manifestProblems(parsed.data, judgePattern);
  return problems.length > 0 ? failed(problems) : { manifest: asSent(parsed.data), problems: [] };
}

/** Without the absent members that a parsed one has. */
function asSent({ env, tool_scopes }: ContractManifest): Manifest {
  const fields = Object.entries(env).map(([name, field]): [string, ManifestEnvField] => {
    const { kind, label, description, required, regex, enum: choices, default: fallback } = field;
    return [
      name,
      {
        kind,
        label,
        ...(description === undefined ? {} : { description }),
        ...(required === undefined ? {} : { required }),
        ...(regex === undefined ? {} : { regex }),
        ...(choices === undefined ? {} : { enum: choices }),
        ...(fallback === undefined ? {} : { default: fallback }),
      },
    ];
  });
  return { env: Object.fromEntries(fields), tool_scopes };
}

const failed = (problems: FieldProblem[]): ReadManifest => ({ manifest: null, problems });

/** Browsers say where it broke, in the text that the person sees. */
function notJson(error: unknown): string {
  return `is not JSON: ${error instanceof Error ? error.message : 'it cannot be read'}`;
}

export function manifestText(manifest: ContractManifest): string {
  return JSON.stringify(manifest, null, 2);
}

export const exampleManifest = manifestText({
  env: {
    API_TOKEN: { kind: 'secret', label: 'Token of the service', required: true },
    REGION: { kind: 'value', label: 'Region', enum: ['eu', 'us'], default: 'eu' },
  },
  tool_scopes: { write_file: 'files.write' },
});
