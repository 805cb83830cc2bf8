/**
 * The test files that the runner gives a fresh process, each with what it would else notice of others, or
 * leave to them. test/architecture/clocks looks that each file which measures is named here.
 */

/** They run last and one at a time, since they compare times: beside other work these say something else. */
export const measuringFiles = {
  'test/browser/live.test.ts': 'how soon a page is up to date again',
  'test/browser/tabs.test.ts': 'how soon another tab takes over',
  'test/end-to-end/start-and-stop.test.ts': 'a second start as quick as the first',
  'test/hostile/hostile-calls.test.ts': 'the peak of a sidecar’s memory',
  'test/hostile/hostile-floods.test.ts': 'approvals beside floods and without',
  'test/hostile/hostile-members.test.ts': 'approvals and health beside attacks and without',
  'test/hostile/hostile-shares.test.ts': 'lists of another tenant beside attacks and without',
  'test/integration/api/browser-stream.test.ts': 'announcements in each second',
  'test/integration/api/catalog-patterns.test.ts': 'holds of the event loop',
  'test/integration/api/large-bodies.test.ts': 'holds of the event loop',
  'test/integration/api/mcp-check-uploads.test.ts': 'holds of the event loop',
  'test/integration/api/slow-names.test.ts': 'lists and look-ups of another tenant beside slow ones',
  'test/integration/lib/oci/hostile-documents.test.ts': 'holds of the event loop',
  'test/integration/relay/forward.test.ts': 'processor time of an idle relay',
  'test/integration/relay/model/hostile-agent.test.ts': 'connections that end in time',
  'test/integration/store/scope-lookups.test.ts': 'time of 200 look-ups and of one',
  'test/integration/store/tools-of-one-scope.test.ts': 'holds of the event loop',
  'test/integration/worker/fair-decisions.test.ts': 'approvals beside sessions and without',
  'test/unit/api/browser-stream.test.ts': 'reads in each second',
  'test/unit/contract/attachment-validation.test.ts': 'processor time of an expression',
  'test/unit/lib/patterns/pattern-checker.test.ts': 'turns of the event loop while a thread works',
  'test/unit/sidecar/audit/payloads.test.ts': 'processor time of a cut',
  'test/unit/sidecar/json-rpc/parse-in-turns-cost.test.ts': 'holds of the event loop',
  'test/unit/sidecar/json-rpc/parse-line-cost.test.ts': 'processor time of a line',
  'test/unit/sidecar/many-values.test.ts': 'holds of the event loop',
  'test/unit/sidecar/tool-lists/definition.test.ts': 'processor time of a digest',
  'test/unit/sidecar/json-rpc/large-lines.test.ts': 'a large line in small pieces beside a whole one',
};

/** They run at any time, in a process that no other file shares. */
export const ownProcessFiles = {
  'test/integration/activities/launch.test.ts': 'sets a variable of the environment',
  'test/integration/docker/docker.test.ts': 'sets which engine its process uses',
  'test/replay/replay.test.ts': 'bundles workflows, which leaves listeners and a global',
  'test/unit/support/property.test.ts': 'sets variables of the environment',
};

/**
 * They look at the clock, and assert only that something took at least a time, or came to no more than a rate
 * allows in the time that passed: no slow machine breaks these.
 */
export const onlyAtLeastFiles = {
  'test/browser/requests.test.ts': 'two seconds without a request',
  'test/integration/api/public-routes.test.ts': 'statements, as many as the time that passed allows',
  'test/integration/api/shared-streams.test.ts': 'statements, as many as the time that passed allows',
  'test/integration/relay/remote/access-tokens.test.ts': 'questions, as many as the time that passed allows',
  'test/integration/relay/remote/hostile-servers.test.ts': 'a pause before a connection is made again',
  'test/integration/relay/serve.test.ts': 'pauses that grow before a process is started again',
  'test/integration/runtime/packages/faults.test.ts': 'a load that goes on to its limit',
  'test/integration/sidecar/access-tokens.test.ts': 'a rate of questions',
  'test/integration/sidecar/limits.test.ts': 'a rate of calls and of bytes',
  'test/integration/sidecar/odd-answers.test.ts': 'a call that goes on beyond its limit',
  'test/integration/sidecar/relay.test.ts': 'a pause before a server is started again',
  'test/integration/sidecar/server-failures.test.ts':
    'bytes and reports, as many as the time that passed allows',
  'test/unit/lib/timing/collected-bytes.test.ts': 'a deadline that is never reached',
  'test/unit/lib/timing/retry.test.ts': 'a clock that the test moves',
  'test/unit/sidecar/audit/spool-file.test.ts': 'a clock that the test moves',
  'test/unit/sidecar/server-link/read-ahead-of-turn.test.ts': 'a rate of calls',
};
