import { describe, expect, it } from '@jest/globals';
import * as z from 'zod';
import { agentInput } from '../../../contract/agent.ts';
import { mcpServerInput } from '../../../contract/catalog.ts';
import { fieldProblemsOf } from '../../../contract/errors.ts';
import { uuid, workspaceSlug } from '../../../contract/names.ts';

const messageOf = (schema: z.ZodType, value: unknown): string => {
  const parsed = schema.safeParse(value);
  return parsed.success ? 'fine' : (fieldProblemsOf(parsed.error)[0]?.message ?? '');
};

describe('messages about wrong values', () => {
  it('are in plain language, whatever is wrong', () => {
    expect(messageOf(z.string(), 1)).toBe('must be text');
    expect(messageOf(z.int(), 1.5)).toBe('must be a whole number');
    expect(messageOf(z.int(), 'x')).toBe('must be a number');
    expect(messageOf(z.string().min(1), '')).toBe('must not be empty');
    expect(messageOf(z.string().max(3), 'long')).toBe('must have at most 3 characters');
    expect(messageOf(z.array(z.string()).min(2), ['x'])).toBe('must have at least 2 items');
    expect(messageOf(z.number().max(9), 10)).toBe('must be at most 9');
    expect(messageOf(z.enum(['a', 'b']), 'c')).toBe('must be one of a, b');
    expect(messageOf(z.enum(['a', 'b']), undefined)).toBe('is required');
    expect(messageOf(z.literal('a'), 'c')).toBe('must be a');
    expect(messageOf(z.email(), 'nobody')).toBe('must be an e-mail address');
    expect(messageOf(z.url(), 'nowhere')).toBe('must be an address such as https://server.example/mcp');
    expect(messageOf(uuid, 'x')).toMatch(/^must be an id/);
    expect(messageOf(z.record(z.string(), z.string()), 1)).toBe('must be an object');
    expect(z.strictObject({}).safeParse({ a: 1, b: 2 }).error?.issues[0]?.message).toBe('must not have a, b');
  });

  it('are the schema’s own if it has one', () => {
    expect(messageOf(workspaceSlug, 'A')).toBe('must be 1 to 40 lowercase letters, digits or inner hyphens');
  });

  it('hold no text of the validation library, for any of many wrong bodies', () => {
    const values = [undefined, null, 1, '', 'x'.repeat(9999), [], {}, [{}], { type: 'x' }, true, -1];
    const keys = Object.keys({ ...mcpServerInput.shape, ...agentInput.shape });
    for (const schema of [mcpServerInput, agentInput]) {
      for (const key of keys) {
        for (const value of values) {
          const parsed = schema.safeParse({ [key]: value });
          const problems = parsed.success ? [] : fieldProblemsOf(parsed.error);
          expect(problems.map(({ message }) => message).join('\n')).not.toMatch(
            /Invalid|expected|received|Too (small|big)|Unrecognized|undefined|NaN/,
          );
        }
      }
    }
  });
});
