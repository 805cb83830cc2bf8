/** What things of a session are called on the engine, and the labels by which they are found again. */
import { uuid } from '../../contract/names.ts';

/** No public domain is meant by it. */
const domain = 'agent-platform.internal';

export const labelKeys = {
  installation: `${domain}/installation`,
  session: `${domain}/session`,
  /** Within the session: `sidecar`, `agent`, `mcp-<server>`, `sibling-<name>` or `net-<one of these>`. */
  container: `${domain}/container`,
  /** Which attempt to start the session made it. */
  attempt: `${domain}/attempt`,
} as const;

export interface SessionOnEngine {
  installation: string;
  sessionId: string;
}

const prefix = ({ installation, sessionId }: SessionOnEngine) => `${installation}-${uuid.parse(sessionId)}`;

export const containerName = (session: SessionOnEngine, container: string) =>
  `${prefix(session)}-${container}`;

/** The dot keeps parts apart: no name of a container has one. */
export const volumeName = (session: SessionOnEngine, ...parts: string[]) =>
  [prefix(session), ...parts].join('.').replaceAll('/', '.');

export const sessionLabels = ({ installation, sessionId }: SessionOnEngine): Record<string, string> => ({
  [labelKeys.installation]: installation,
  [labelKeys.session]: sessionId,
});

/** A container that holds the network of `container`, and nothing else. */
export const holderName = (container: string) => `net-${container}`;
export const isHolder = (container: string) => container.startsWith('net-');
