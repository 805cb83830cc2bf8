/** Classifies why a server failed before its first answer, as one of a closed list. Pure. */

import { saysPackageNotFound } from '../../contract/package-managers.ts';
import {
  type FailureCause,
  type ProcessClaim,
  packagesCauses,
  packagesNotLoaded,
} from '../../contract/session-process.ts';

export interface ServerFacts {
  network: 'none' | 'internet';
  /** Its command downloads a package before running it, as `npx` and `uvx` do. */
  loadsPackages: boolean;
}

export interface Failure {
  how: 'no_connection' | 'lost' | 'timeout' | 'unreadable';
  /** What its relay reported about this start's end; null when it reported nothing. */
  end: ProcessClaim | null;
  /** The tail of its output since this start. It decides between causes, but is never quoted. */
  written: string;
}

const notFound = new Set(['ENOENT', 'ENOTDIR']);
/** What programs print on network failures: error names of libc, npm, uv, pip. */
const networkTrouble =
  /\b(EAI_AGAIN|ENOTFOUND|ENETUNREACH|EHOSTUNREACH|ECONNREFUSED|ETIMEDOUT|ENOTCACHED)\b|name resolution|Name or service not known|Network is unreachable|dns error|network connectivity is disabled|network was disabled|Could not resolve host/i;

export function classifyFailure({ how, end, written }: Failure, facts: ServerFacts): FailureCause {
  if (how === 'no_connection') {
    return 'container_not_running';
  }
  if (how === 'unreadable') {
    return 'unreadable_answer';
  }
  if (end?.type === 'not_started') {
    return notFound.has(end.error) ? 'program_not_found' : 'program_not_executable';
  }
  const ofPlatform = packagesCauses.find((cause) => written.includes(packagesNotLoaded[cause]));
  if (ofPlatform !== undefined) {
    return ofPlatform;
  }
  if (facts.loadsPackages && saysPackageNotFound(written)) {
    // Without a network there was no lookup: pip then reports no match, as for a wrong name.
    return facts.network === 'none' ? 'packages_need_network' : 'package_not_found';
  }
  const isNetwork = networkTrouble.test(written);
  if (facts.loadsPackages && (isNetwork || how === 'timeout')) {
    return facts.network === 'none' ? 'packages_need_network' : 'registry_unreachable';
  }
  if (isNetwork && how === 'lost') {
    return 'network_unreachable';
  }
  return how === 'timeout' ? 'handshake_timeout' : 'exited';
}
