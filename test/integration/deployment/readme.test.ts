/**
 * What the operations page says of Kubernetes, where the blocks are not run on a cluster: the images it
 * builds are those that its values name.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { parse, parseAllDocuments } from 'yaml';
import * as z from 'zod';
import { chartDirectory, manifest, runHelm } from '../../support/chart.ts';
import { describeWithTool } from '../../support/deployment-tools.ts';

const [, section = ''] = readFileSync('docs/operations.md', 'utf8').split('\n### On Kubernetes\n');
const blockOf = (language: string) =>
  new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 's').exec(section)?.[1] ?? '';

describeWithTool('helm')('the installation on Kubernetes', () => {
  const values = z.record(z.string(), z.unknown()).parse(parse(blockOf('yaml')));
  const template = [
    'template',
    'gatepost',
    chartDirectory,
    '--namespace',
    'gatepost',
    '--kube-version',
    '1.34',
  ];
  const printed = runHelm(template, values);
  const manifests = parseAllDocuments(printed).map((document) => manifest.parse(document.toJS()));
  const find = (kind: string) => manifests.filter((each) => each.kind === kind);

  it('builds and pushes every image that the chart uses, from existing targets', () => {
    const loop = `docker() { echo "$@"; }\n${blockOf('sh')}`;
    const lines = execFileSync('bash', ['-euo', 'pipefail', '-c', loop], { encoding: 'utf8' })
      .trim()
      .split('\n');
    const builds = lines.filter((line) => line.startsWith('build '));
    const file = readFileSync('deploy/Dockerfile', 'utf8');
    for (const build of builds) {
      const [, target = '', name = ''] = /--target (\S+) --tag (\S+) \.$/.exec(build) ?? [];
      expect(file).toMatch(new RegExp(`^FROM \\S+ AS ${target}$`, 'm'));
      expect(lines).toContain(`push ${name}`);
    }
    const pushed = lines.filter((line) => line.startsWith('push ')).map((line) => line.slice('push '.length));
    const used = printed.match(/registry\.example\.com\/[^\s"']+/g) ?? [];
    expect([...new Set(used)].sort()).toEqual(pushed.toSorted());
  });

  it('shows the platform at its address, with the certificate that it names', () => {
    expect(find('Ingress')).toMatchObject([
      {
        spec: {
          rules: [{ host: 'agents.example.com' }],
          tls: [{ hosts: ['agents.example.com'], secretName: 'agents-example-com' }],
        },
      },
    ]);
    const variables = Object.assign({}, ...find('ConfigMap').map(({ ['data']: data }) => data));
    expect(variables).toMatchObject({ PUBLIC_URL: 'https://agents.example.com', TRUST_PROXY: 'true' });
  });
});
