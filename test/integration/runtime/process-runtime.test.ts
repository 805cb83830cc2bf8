import { afterAll } from '@jest/globals';
import { describeWith } from '../../support/sandbox-programs.ts';
import { describeRuntime } from './contract.ts';
import { processDriver } from './process-driver.ts';

const bare = processDriver({ sandbox: 'off', allowUnsandboxed: true });
const sandboxed = processDriver();
afterAll(() => {
  bare.remove();
  sandboxed.remove();
});

describeWith('bwrap', 'slirp4netns')('with bubblewrap', () => {
  describeRuntime('the process runtime', sandboxed);
});

describeRuntime('the process runtime without a sandbox', bare);
