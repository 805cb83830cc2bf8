/** Passes a container's output, redacted, to its log and to the sidecar. */
import type { Readable } from 'node:stream';
import { createRedactor } from '../../../../lib/redaction/redactor.ts';
import type { ContainerLog } from '../container-log.ts';
import type { ReportClient } from './report-client.ts';

/** Bounds the share of time spent reading one container's output: the rest waits in its pipe. */
const pausePerBusyMs = 3;
const shortestPauseMs = 10;

/** Resolves when the output has ended and was passed on completely. */
export function captureOutput(
  output: Readable,
  {
    values,
    log,
    report,
  }: { values: readonly string[]; log: Pick<ContainerLog, 'write'>; report: ReportClient },
): Promise<void> {
  const redactor = createRedactor(values);
  const hand = (bytes: Buffer) => {
    if (bytes.length > 0) {
      log.write(bytes);
      report.output(bytes);
    }
  };
  return new Promise((resolve) => {
    output.on('data', (bytes: Buffer) => {
      const startedMs = performance.now();
      hand(redactor.push(bytes));
      output.pause();
      const pauseMs = Math.max(shortestPauseMs, pausePerBusyMs * (performance.now() - startedMs));
      setTimeout(() => output.resume(), pauseMs);
    });
    output.once('error', () => output.destroy());
    output.once('close', () => {
      hand(redactor.end());
      resolve();
    });
  });
}
