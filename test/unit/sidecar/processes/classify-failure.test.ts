import { expect, it } from '@jest/globals';
import { type FailureCause, failureCause, packagesNotLoaded } from '../../../../contract/session-process.ts';
import {
  classifyFailure,
  type Failure,
  type ServerFacts,
} from '../../../../sidecar/processes/classify-failure.ts';

const exited = { type: 'ended', exit_code: 1, signal: null } as const;
const notStarted = (error: string) => ({ type: 'not_started', error }) as const;
const online: ServerFacts = { network: 'internet', loadsPackages: false };
const loading: ServerFacts = { network: 'internet', loadsPackages: true };
const loadingOffline: ServerFacts = { network: 'none', loadsPackages: true };

const rows: [string, Partial<Failure>, ServerFacts, FailureCause][] = [
  ['nobody connected', { how: 'no_connection' }, online, 'container_not_running'],
  ['no such program', { end: notStarted('ENOENT') }, online, 'program_not_found'],
  ['no such folder', { end: notStarted('ENOTDIR') }, online, 'program_not_found'],
  ['no program', { end: notStarted('EACCES') }, online, 'program_not_executable'],
  ['an exit', { end: exited }, online, 'exited'],
  ['an exit without a word', {}, loading, 'exited'],
  [
    'a server without its network',
    { written: 'connect ENETUNREACH 10.0.0.1:443' },
    online,
    'network_unreachable',
  ],
  ['npx without a network', { written: 'npm error code EAI_AGAIN' }, loadingOffline, 'packages_need_network'],
  ['npx that tries for long, offline', { how: 'timeout' }, loadingOffline, 'packages_need_network'],
  ['npx without its registry', { written: 'npm error code ECONNREFUSED' }, loading, 'registry_unreachable'],
  ['uvx without its registry', { written: 'error: dns error' }, loading, 'registry_unreachable'],
  ['npx that tries for long', { how: 'timeout' }, loading, 'registry_unreachable'],
  [
    'packages that the platform could not load',
    { written: packagesNotLoaded.registry_unreachable },
    loading,
    'registry_unreachable',
  ],
  [
    'packages that nobody can load',
    { written: `${packagesNotLoaded.packages_not_loaded}: npm error code E404 ECONNRESET` },
    loading,
    'packages_not_loaded',
  ],
  [
    'packages that the registry does not have',
    { written: packagesNotLoaded.package_not_found },
    loading,
    'package_not_found',
  ],
  ['npx of a wrong name', { written: 'npm error code E404\nnpm error 404' }, loading, 'package_not_found'],
  ['npx of an old npm', { written: 'npm ERR! code E404' }, loading, 'package_not_found'],
  ['npx of a wrong version', { written: 'npm error code ETARGET' }, loading, 'package_not_found'],
  [
    'uvx of a wrong name',
    { written: 'Because tiem was not found in the package\n      registry and you require tiem, we can' },
    loading,
    'package_not_found',
  ],
  [
    'uvx of a wrong version',
    { written: 'Because there is no version of time==9 and you require time==9, we' },
    loading,
    'package_not_found',
  ],
  [
    'pip of a wrong name',
    { written: 'ERROR: No matching distribution found for tiem' },
    loading,
    'package_not_found',
  ],
  [
    'pip without a network, of a name that it could not ask for',
    { written: 'ERROR: No matching distribution found for time' },
    loadingOffline,
    'packages_need_network',
  ],
  [
    'npx offline that names a wrong package',
    { written: 'npm error code E404' },
    loadingOffline,
    'packages_need_network',
  ],
  ['a server whose own search found nothing', { written: 'npm error code E404' }, online, 'exited'],
  ['an answer that cannot be read', { how: 'unreadable' }, online, 'unreadable_answer'],
  [
    'a server whose packages were loaded, and that is silent',
    { how: 'timeout' },
    online,
    'handshake_timeout',
  ],
  ['silence', { how: 'timeout' }, online, 'handshake_timeout'],
  ['silence after a network error', { how: 'timeout', written: 'ETIMEDOUT' }, online, 'handshake_timeout'],
];

it.each(rows)('%s has its cause', (_, failure, facts, cause) => {
  expect(classifyFailure({ how: 'lost', end: null, written: '', ...failure }, facts)).toBe(cause);
});

it('every cause of the closed list that a server has is used', () => {
  expect(new Set(rows.map(([, , , cause]) => cause)).size).toBe(
    failureCause.options.filter((cause) => cause !== 'not_ready_in_time').length,
  );
});
