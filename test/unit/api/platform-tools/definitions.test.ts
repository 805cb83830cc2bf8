/** What holds of every tool that the API runs, and the page that is made from them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { platformTools } from '../../../../api/platform-tools/routes.ts';
import {
  failureCodes,
  listedTool,
  maxAnswerBytes,
  type PlatformTool,
  shownSchema,
} from '../../../../api/platform-tools/tool.ts';
import { fixedLimits } from '../../../../config/fixed-limits.ts';
import { listedPlatformTool } from '../../../../contract/platform-tools.ts';
import { platformToolsPage } from './page.ts';

const names = platformTools.map(({ name }) => name);

it('have names of their own', () => {
  expect(new Set(names).size).toBe(names.length);
  expect(names).toEqual(
    expect.arrayContaining(['graph_write', 'graph_relate', 'graph_query', 'post_message']),
  );
});

describe.each(platformTools.map((tool): [string, PlatformTool] => [tool.name, tool]))('%s', (_name, tool) => {
  it('is listed as a sidecar takes it', () => {
    const listed = listedTool(tool);
    expect(listedPlatformTool.parse(listed)).toEqual(listed);
  });

  it('has hints that do not contradict each other', () => {
    const { readOnlyHint, destructiveHint, idempotentHint } = tool.annotations;
    expect(readOnlyHint && (destructiveHint || !idempotentHint)).toBe(false);
  });

  it('has an example that fits its schemas', () => {
    expect(tool.input.parse(tool.example.input)).toEqual(tool.example.input);
    expect(tool.output.parse(tool.example.output)).toEqual(tool.example.output);
  });

  it('refuses and leaves out what it does not know', () => {
    expect(tool.input.safeParse({ ...Object(tool.example.input), more: 1 }).success).toBe(false);
    expect(tool.output.safeParse({ ...Object(tool.example.output), more: 1 }).success).toBe(false);
  });

  it('says what its fields are in a schema without patterns', () => {
    const text = JSON.stringify(shownSchema(tool.input, 'input'));
    expect(text).not.toContain('"pattern"');
    expect(Buffer.byteLength(text)).toBeLessThan(8 * 1024);
  });
});

it('the page of the tools is made from their definitions', () => {
  const page = platformToolsPage(platformTools, {
    codes: failureCodes,
    maxAnswerBytes,
    defaults: {
      perMinute: fixedLimits.RATE_SESSION_PLATFORM_TOOL_CALLS_PER_MINUTE,
      atATime: fixedLimits.LIMIT_WORKSPACE_CONCURRENT_TOOL_CALLS,
    },
  });
  if (process.env['UPDATE_DOCS'] === '1') {
    writeFileSync('docs/platform-tools.md', page);
  }
  expect(readFileSync('docs/platform-tools.md', 'utf8')).toBe(page);
});
