/** What a remote server's entry must be beyond its schema. Pure. */
import { emptyManifest, type McpServerInput } from './catalog.ts';
import type { FieldProblem } from './errors.ts';

/** Said of a remote server that another kind of agent attaches. */
export const forWorkersOnly = 'is a remote server, which only agents of the kind "worker" attach';
/** Said of a remote server of an agent that another session starts. */
export const notForChildren =
  'is a remote server, which acts as the person who drives a session: nobody drives one that another session started';
/** Said of a remote server of an agent that is to have a schedule. */
export const notForSchedules =
  'is a remote server that the person who drives a session signs in to: nobody drives one that a schedule starts';

/** Problems by their field's path; empty for an entry of another shape, and for one that is as it must be. */
export function remoteServerProblems({
  shape,
  network,
  egress_allow,
  manifest = emptyManifest,
}: McpServerInput): FieldProblem[] {
  if (shape.type !== 'remote') {
    return [];
  }
  const headers = shape.headers ?? [];
  const undeclared = headers.flatMap(({ variable }, index) =>
    Object.hasOwn(manifest.env, variable)
      ? []
      : [
          {
            path: `shape.headers.${index}.variable`,
            code: 'unknown_field',
            message: `${variable} is not declared by the manifest`,
          },
        ],
  );
  const both = 'an entry sends a static credential in headers or signs people in, not both';
  return [
    ...undeclared,
    ...problem('shape.client', headers.length > 0 && shape.client !== undefined, both),
    ...problem('network', network !== 'internet', 'must be "internet": the server is reached over it'),
    ...problem(
      'egress_allow',
      egress_allow.length > 0,
      'must be empty: a remote server is reached at its own address only',
    ),
  ];
}

const problem = (path: string, isWrong: boolean, message: string): FieldProblem[] =>
  isWrong ? [{ path, code: 'not_for_remote', message }] : [];
