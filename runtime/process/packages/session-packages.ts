/** The packages of each MCP server of a session, as its launch needs them. */
import { dirname, join } from 'node:path';
import type { Logger } from 'pino';
import { type PackageRequest, readPackageRequest } from '../../../contract/package-request.ts';
import { packagesNotLoaded } from '../../../contract/session-process.ts';
import { withinLimit } from '../../../lib/timing/time-limit.ts';
import type { OnStartDelay } from '../../workload.ts';
import type { PlannedContainer, WorkloadPlan } from '../../workload-plan/workload-plan.ts';
import type { PackageCache, ProvideOptions } from './cache.ts';
import { PackagesError } from './errors.ts';
import { packagesInside } from './tree-stream.ts';

/**
 * What runs instead of the package manager: a program of the packages, or one that
 * reports why there are none.
 */
export type ServerPackages =
  | {
      type: 'tree';
      /** On this machine. */
      tree: string;
      /** Where programs of the packages are, in the sandbox. */
      programDirectory: string;
      argv: string[];
    }
  | { type: 'missing'; argv: string[] };

/** By server; servers without packages are not in it. */
export type SessionPackages = ReadonlyMap<string, ServerPackages>;

/** What of a session says which packages it needs. */
export interface PackageUser extends Pick<WorkloadPlan, 'sessionId' | 'workspaceId'> {
  containers: readonly PackageContainer[];
}

type PackageContainer = Pick<PlannedContainer, 'role' | 'subject' | 'network' | 'program'>;

interface PrepareOptions {
  cache: PackageCache;
  deadlineMs: number;
  logger: Logger;
  /** The session is being stopped. */
  signal: AbortSignal;
  onDelay: OnStartDelay;
}

/**
 * A server whose packages cannot be loaded reports so when it is used; the others go on.
 * Throws the reason of `signal`.
 */
export async function preparePackages(
  { sessionId, workspaceId, containers }: PackageUser,
  { cache, deadlineMs, logger, signal, onDelay }: PrepareOptions,
): Promise<SessionPackages> {
  const session = { sessionId, workspaceId };
  const prepare = async (container: PackageContainer, limited: AbortSignal) => {
    const request = requestOf(container);
    const { role, subject: server } = container;
    if (request === null || role !== 'server' || server === null) {
      return [];
    }
    const onLoad = () => onDelay({ server, packages: request.packages });
    const packages = await provide(request, { signal: limited, onLoad }).catch(
      (error: unknown): ServerPackages => {
        signal.throwIfAborted();
        const fault = error instanceof PackagesError ? error : otherFault(error);
        logger.warn({ ...session, server, ...loggable(fault, error) }, 'no packages for a server');
        return missing(fault);
      },
    );
    return [[server, packages] as const];
  };
  const prepared = await withinLimit(deadlineMs, signal, (limited) =>
    Promise.all(containers.map((container) => prepare(container, limited))),
  );
  return new Map(prepared.flat());

  async function provide(request: PackageRequest, options: ProvideOptions): Promise<ServerPackages> {
    return present(await cache.provide(request, session, options), request);
  }
}

function requestOf({ network, program }: PackageContainer): PackageRequest | null {
  return network === 'internet' && program.type === 'command'
    ? readPackageRequest(program.command, program.args)
    : null;
}

function present(
  { tree, program }: { tree: string; program: string },
  { args }: PackageRequest,
): ServerPackages {
  const path = join(packagesInside, program);
  return { type: 'tree', tree, programDirectory: dirname(path), argv: [path, ...args] };
}

/** The sidecar classifies the cause by this text; an admin sees it as the server's output. */
function missing({ shownAs, message, written }: PackagesError): ServerPackages {
  const text = [`${packagesNotLoaded[shownAs]}: ${message}`, ...(written === '' ? [] : [written])].join('\n');
  return { type: 'missing', argv: ['/bin/sh', '-c', 'printf "%s\\n" "$1" >&2; exit 1', 'sh', text] };
}

/**
 * A package manager's output is never logged: it may name a private registry, or show what a package printed.
 */
function loggable({ shownAs, message, written }: PackagesError, error: unknown): object {
  const reason = error instanceof PackagesError ? message : String(error);
  return { cause: shownAs, reason, writtenBytes: Buffer.byteLength(written) };
}

/** The wait for a load that another session began ends with the limit, too. */
function otherFault(error: unknown): PackagesError {
  const isTooLate = error instanceof DOMException && error.name === 'TimeoutError';
  return new PackagesError(
    isTooLate
      ? 'they were not there in time (PACKAGE_LOAD_SECONDS), while others were being loaded'
      : "the worker's log says why",
  );
}
