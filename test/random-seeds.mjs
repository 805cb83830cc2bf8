/**
 * The tests of the gate, the parser, grants and rendered workloads that choose at random what they try. CI
 * runs them once more with `TEST_SEEDS=random`, since with fixed seeds they try the same in each run.
 */
export const randomlySeededTests = [
  // The gate.
  'test/fuzz/differential.test.ts',
  'test/unit/sidecar/gate/decide.test.ts',
  // The parser.
  'test/fuzz/canonical-arguments.test.ts',
  'test/unit/sidecar/json-rpc/canonical-json.test.ts',
  'test/unit/sidecar/json-rpc/other-readers.test.ts',
  'test/unit/sidecar/json-rpc/parse-in-turns.test.ts',
  'test/unit/sidecar/json-rpc/parse-line.test.ts',
  'test/unit/sidecar/json-rpc/read-lines.test.ts',
  // Grants.
  'test/integration/store/exact-calls.test.ts',
  'test/integration/store/revocation.test.ts',
  'test/unit/api/policies/grants.test.ts',
  'test/unit/contract/grant.test.ts',
  // Rendered workloads.
  'test/unit/runtime/container-workload/render-container-workload.test.ts',
  'test/unit/runtime/container/render-containers.test.ts',
  'test/unit/runtime/kubernetes/render-pod.test.ts',
  'test/unit/runtime/kubernetes/render-secrets.test.ts',
  'test/unit/runtime/process/render-launch.test.ts',
  'test/unit/runtime/process/render-sandbox.test.ts',
  'test/unit/runtime/process/render-seccomp.test.ts',
  'test/unit/runtime/process/render-workload.test.ts',
  'test/unit/runtime/workload-plan/plan-workload.test.ts',
];
