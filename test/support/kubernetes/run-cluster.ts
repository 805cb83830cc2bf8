/**
 * The tests' cluster, to look at by hand:
 *   node --import tsx test/support/kubernetes/run-cluster.ts IMAGE...
 *
 * starts one with these images of the container engine, if any, on its node, prints what KUBECONFIG is
 * set to, and stops on Ctrl-C.
 */
import { startOwnTestCluster } from './test-cluster.ts';

// Before any output: its reader may send a signal at once.
const asked = new Promise((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, resolve);
  }
  // Keeps the process alive.
  setInterval(() => undefined, 60_000);
});
const cluster = await startOwnTestCluster();
process.stdout.write(
  `export KUBECONFIG=${cluster.kubeconfig}\n# this host is ${cluster.hostAddress} for a Pod\n`,
);
for (const name of process.argv.slice(2)) {
  process.stdout.write(`# ${name} is ${await cluster.importImage(name)}\n`);
}
await asked;
await cluster.stop();
process.exit();
