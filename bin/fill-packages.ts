/**
 * In a sandbox whose one way out leads to the operator's registry: loads the packages of one MCP
 * server, and hands them over.
 */
import { join } from 'node:path';
import { openBridge } from '../runtime/process/packages/inside/bridge.ts';
import { findProgram } from '../runtime/process/packages/inside/find-program.ts';
import { install } from '../runtime/process/packages/inside/install.ts';
import {
  egressPort,
  fillOrder,
  fillSockets,
  managerVariables,
  managerVariablesName,
} from '../runtime/process/packages/inside/order.ts';
import { sendTree } from '../runtime/process/packages/inside/send-tree.ts';

const order = fillOrder.parse(JSON.parse(process.argv[2] ?? ''));
const { [managerVariablesName]: ofManager = '', ...env } = process.env;
await openBridge(egressPort, join(fillSockets.directory, fillSockets.egress));
const exitCode = await install(order, env, managerVariables.parse(JSON.parse(ofManager)));
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
