/**
 * The Claude Agent SDK has a licence of its own (docs/decisions/0057-claude-agent.md): the agent
 * `claude` alone installs it.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const sdk = '@anthropic-ai/';
const listed = execFileSync('git', ['ls-files'], { encoding: 'utf8' }).trim().split('\n');

describe('the Claude Agent SDK', () => {
  it('is in no list of packages but those of the agents that run it', () => {
    const lists = listed.filter((file) => /(^|\/)(package|package-lock)\.json$/.test(file));
    expect(lists).toEqual(expect.arrayContaining(['package.json', 'package-lock.json']));
    expect(lists).toEqual(expect.arrayContaining(['deploy/runner/package.json']));
    expect(lists.filter((file) => readFileSync(file, 'utf8').includes(sdk))).toEqual([
      'agents/acp/packages/claude/package-lock.json',
      'agents/claude/package-lock.json',
      'agents/claude/package.json',
    ]);
  });

  it('is in no image but those of the agents that run it, which no other is built from', () => {
    const dockerfiles = listed.filter((file) => /(^|\/)[^/]*Dockerfile[^/]*$/.test(file));
    expect(stagesThat(dockerfiles, /agents\/claude|claude-agent|packages\/claude/)).toEqual([
      'deploy/Dockerfile claude',
      'deploy/Dockerfile acp-claude-packages',
    ]);
    expect(stagesThat(dockerfiles, /^(FROM|COPY --from=)\s*(acp-)?claude\b/)).toEqual([
      'deploy/Dockerfile acp-claude',
    ]);
    expect(stagesThat(dockerfiles, /^FROM\s*(acp-)?claude\b/)).toEqual([]);
    // Neither is one built when no target is named, which is the last.
    expect(stagesOf('deploy/Dockerfile').at(-1)?.name).toBe('platform');
  });

  it('comes into no image with the rest of the sources: what is installed beside them is not of a build’s context', () => {
    expect(readFileSync('.dockerignore', 'utf8').split('\n')).toContain('**/node_modules');
  });
});

interface Stage {
  name: string;
  instructions: string[];
}

function stagesOf(file: string): Stage[] {
  const lines = readFileSync(file, 'utf8')
    .replaceAll(/^\s*#.*\n?/gm, '')
    .replaceAll(/\\[ \t]*\n/g, ' ')
    .split('\n');
  const stages: Stage[] = [];
  for (const line of lines) {
    if (line.startsWith('FROM ')) {
      stages.push({ name: / AS (\S+)$/.exec(line)?.[1] ?? '', instructions: [] });
    }
    stages.at(-1)?.instructions.push(line);
  }
  return stages;
}

/** The stages with an instruction like that, each with its file. */
const stagesThat = (files: string[], pattern: RegExp) =>
  files.flatMap((file) =>
    stagesOf(file)
      .filter(({ instructions }) => instructions.some((line) => pattern.test(line)))
      .map(({ name }) => `${file} ${name}`),
  );
