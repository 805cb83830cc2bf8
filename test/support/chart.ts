/** The Helm chart, rendered as an installation would be. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import * as z from 'zod';
import { deploymentTool } from './deployment-tools.ts';

export const chartDirectory = 'deploy/helm/gatepost';

export const manifest = z.looseObject({
  kind: z.string(),
  metadata: z.looseObject({
    name: z.string(),
    namespace: z.string().optional(),
    labels: z.record(z.string(), z.string()).default({}),
    annotations: z.record(z.string(), z.string()).default({}),
  }),
});
export type Manifest = z.infer<typeof manifest>;

/** The required values. */
export const leastValues = {
  publicUrl: 'https://platform.example',
  oidc: { issuer: 'https://id.example', clientId: 'platform' },
  database: { existingSecret: 'database' },
  temporal: { address: 'temporal.example:7233' },
  keys: { existingSecret: 'keys' },
};

export function mergeValues(base: object, over: object): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const below = merged[key];
    const isMap = (it: unknown): it is object => typeof it === 'object' && it !== null && !Array.isArray(it);
    merged[key] = isMap(below) && isMap(value) ? mergeValues(below, value) : value;
  }
  return merged;
}

/** Throws with Helm's own words when the values are refused. */
export function runHelm(command: string[], values: object): string {
  const directory = mkdtempSync(join(tmpdir(), 'chart-'));
  try {
    const file = join(directory, 'values.json');
    writeFileSync(file, JSON.stringify(values));
    return execFileSync(deploymentTool('helm'), [...command, '--values', file], {
      encoding: 'utf8',
      stdio: 'pipe',
      env: { PATH: process.env['PATH'], HOME: directory },
    });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/**
 * Every manifest of the release `platform` in the namespace `agents`, with `values` over the required ones.
 */
export function renderChart(values: object = {}): Manifest[] {
  const command = [
    'template',
    'platform',
    chartDirectory,
    '--namespace',
    'agents',
    '--kube-version',
    '1.34.4',
  ];
  return parseAllDocuments(runHelm(command, mergeValues(leastValues, values)))
    .map((document) => document.toJS() as unknown)
    .filter((content) => content !== null)
    .map((content) => manifest.parse(content));
}
