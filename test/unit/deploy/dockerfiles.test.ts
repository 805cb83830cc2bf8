/** Docker's classic builder accepts every Dockerfile, too: none uses anything that only BuildKit has. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { sidecarEnvironment, sidecarNodeOptions } from '../../../runtime/sidecar-program.ts';

const listed = execFileSync('git', ['ls-files'], { encoding: 'utf8' }).trim().split('\n');
const dockerfiles = listed.filter((file) => /(^|\/)[^/]*Dockerfile[^/]*$/.test(file));

/** Options that Docker's classic builder supports, of the instructions for which BuildKit has more. */
const knownOptions: Record<string, readonly string[]> = {
  FROM: ['--platform'],
  COPY: ['--from', '--chown'],
  ADD: ['--chown'],
  RUN: [],
};
const heredoc = /(?<!<)<<-?\s*["']?[A-Za-z_]/;
const platformArgument = /\$\{?(TARGET|BUILD)(PLATFORM|OS|ARCH|VARIANT)\b/;

/** Instructions, each on a line of its own, without comments. */
const instructionsOf = (text: string) =>
  text
    .replaceAll(/^\s*#.*\n?/gm, '')
    .replaceAll(/\\[ \t]*\n/g, ' ')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

function needsOf(instruction: string): string[] {
  const [keyword = '', ...words] = instruction.split(/\s+/);
  const name = keyword.toUpperCase();
  const end = words.findIndex((word) => !word.startsWith('--'));
  const options = words.slice(0, end === -1 ? words.length : end).map((word) => word.replace(/=.*/, ''));
  const known = knownOptions[name];
  return [
    ...(known === undefined ? [] : options.filter((option) => !known.includes(option))),
    ...(known !== undefined && heredoc.test(instruction) ? ['a heredoc'] : []),
    ...(platformArgument.test(instruction) ? ['an argument that only BuildKit sets'] : []),
  ];
}

/** What in a Dockerfile requires BuildKit, each with its instruction. */
function needsBuildKit(text: string): string[] {
  const directives = text.match(/^\s*#\s*(syntax|check)\s*=.*$/gim) ?? [];
  const instructions = instructionsOf(text).flatMap((instruction) =>
    needsOf(instruction).map((need) => `${need}: ${instruction}`),
  );
  return [...directives, ...instructions];
}

describe('the image of the sidecar', () => {
  it('starts it as the runtimes do', () => {
    const instructions = instructionsOf(readFileSync('deploy/Dockerfile', 'utf8'));
    const from = instructions.findIndex((each) => /^FROM .* AS sidecar$/.test(each));
    const stage = instructions.slice(
      from + 1,
      instructions.findIndex((each, at) => at > from && /^FROM /.test(each)),
    );
    const variables = Object.entries(sidecarEnvironment).map(([name, value]) => `${name}=${value}`);
    expect(stage.find((each) => each.startsWith('ENV'))?.split(/\s+/)).toEqual(['ENV', ...variables]);
    expect(stage.find((each) => each.startsWith('CMD'))).toContain(
      sidecarNodeOptions.map((option) => `"${option}"`).join(', '),
    );
  });
});

describe('Docker’s own builder', () => {
  it('accepts every Dockerfile', () => {
    expect(dockerfiles.length).toBeGreaterThan(4);
    expect(dockerfiles.flatMap((file) => needsBuildKit(readFileSync(file, 'utf8')))).toEqual([]);
  });

  it('reads the one .dockerignore of a context, and none of a Dockerfile', () => {
    expect(listed.filter((file) => /[^/]\.dockerignore$/.test(file))).toEqual([]);
  });

  it.each([
    '# syntax=docker/dockerfile:1\nFROM scratch',
    '#check=error=true\nFROM scratch',
    'COPY --chmod=755 a b',
    'COPY --from=build --link a b',
    'copy \\\n  --chmod=755 \\\n  a b',
    'COPY --parents a b',
    'ADD --checksum=sha256:0 http://example.com/a b',
    'RUN --mount=type=cache,target=/root/.npm npm ci',
    'RUN \\\n# a comment between\n  --network=none true',
    'RUN <<EOF\ntrue\nEOF',
    "COPY <<-'END' /file\nx\nEND",
    'FROM --platform=$BUILDPLATFORM node',
    'RUN echo ${TARGETARCH}',
  ])('would refuse %j', (text) => {
    expect(needsBuildKit(text)).toHaveLength(1);
  });

  it.each([
    'FROM node AS build\nCOPY --from=build --chown=1:1 a b',
    'RUN npm ci --ignore-scripts \\\n  && mkdir --mode=1777 /workspace',
    'HEALTHCHECK --interval=5s CMD true',
    '# a comment on --mount and the syntax of RUN\nFROM scratch',
  ])('accepts %j', (text) => {
    expect(needsBuildKit(text)).toEqual([]);
  });
});
