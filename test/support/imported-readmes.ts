/** Configurations as the pages of well-known MCP servers print them, and what the import makes of each. */
import { describe, expect, it } from '@jest/globals';
import { mcpServerInput } from '../../contract/catalog.ts';
import { manifestProblems } from '../../contract/manifest-validation.ts';
import { planImport } from '../../web/src/pages/catalog/import-plan.ts';

export interface Readme {
  text: string | object;
  /** The shape that is registered, for one that runs. */
  shape?: object;
  /** The variables of its manifest: `!` for a required one, and the default of a plain one. */
  variables?: Record<string, string>;
  /** All notes but those that only say what runs in the place of a launcher. */
  notes?: RegExp[];
  /** All problems, for one that is refused. */
  problems?: RegExp[];
}

export const command = (program: string, ...args: string[]) => ({ type: 'command', command: program, args });
export const image = (name: string) => ({ type: 'image', image: name });
export const remote = (url: string, ...headers: object[]) => ({
  type: 'remote',
  url,
  ...(headers.length > 0 && { headers }),
});
export const mcpServers = (name: string, server: object) => ({ mcpServers: { [name]: server } });
export const docker = (...args: string[]) => ({ command: 'docker', args });

/** Said of every launcher that is replaced. */
const ofLaunchers =
  /^(it runs (with|without|as|.* in place of) |its command holds|it is registered as a remote)/;

const shown = (env: object = {}) =>
  Object.fromEntries(
    Object.entries(env as Record<string, { kind: string; required?: boolean; default?: string }>).map(
      ([name, { kind, required, default: preset }]) => [
        name,
        `${kind}${required === true ? '!' : ''}${preset === undefined ? '' : `=${preset}`}`,
      ],
    ),
  );

/** A test for each: it becomes an entry that runs, or is refused with its reason and what to do instead. */
export function describeReadmes(what: string, readmes: Record<string, Readme>): void {
  describe(what, () => {
    it.each(Object.entries(readmes))(
      '%s',
      (_, { text, shape, variables = {}, notes = [], problems = [] }) => {
        const { servers, problem } = planImport(typeof text === 'string' ? text : JSON.stringify(text));
        expect(problem).toBeNull();
        expect(servers).toHaveLength(1);
        const [planned] = servers;
        expect(planned?.problems).toEqual(problems.map((why) => expect.stringMatching(why)));
        if (problems.length > 0) {
          return;
        }
        expect(planned?.input.shape).toEqual(shape);
        expect(shown(planned?.input.manifest?.env)).toEqual(variables);
        expect(planned?.notes.filter((note) => !ofLaunchers.test(note))).toEqual(
          notes.map((note) => expect.stringMatching(note)),
        );
        const input = mcpServerInput.parse(planned?.input);
        expect(
          manifestProblems(input.manifest ?? { env: {}, tool_scopes: {} }, () => ({ result: 'matches' })),
        ).toEqual([]);
      },
    );
  });
}
