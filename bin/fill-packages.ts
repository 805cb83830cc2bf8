/** In a sandbox without any network: loads the packages of one MCP server through the platform's proxy, and hands them over. */
import { join } from 'node:path';
import { openBridge } from '../runtime/process/packages/inside/bridge.ts';
import { findProgram } from '../runtime/process/packages/inside/find-program.ts';
import { install } from '../runtime/process/packages/inside/install.ts';
import { fillOrder, fillSockets, registryPort } from '../runtime/process/packages/inside/order.ts';
import { sendTree } from '../runtime/process/packages/inside/send-tree.ts';

const order = fillOrder.parse(JSON.parse(process.argv[2] ?? ''));
await openBridge(registryPort, join(fillSockets.directory, fillSockets.registry));
const exitCode = await install(order, process.env);
if (exitCode !== 0) {
  process.exit(1);
}
try {
  await sendTree(join(fillSockets.directory, fillSockets.result), findProgram(order));
  process.exit(0);
} catch (error) {
  console.error(error instanceof Error ? error.message : 'the packages could not be handed over');
  process.exit(1);
}
