/** A registry that does not answer has its own timeout. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from '@jest/globals';
import { createUpstream } from '../../../../../runtime/process/packages/proxy/upstream.ts';

it('gives up a silent registry, with a cause in plain language', async () => {
  let asked = 0;
  const silent = createServer(() => {
    asked += 1;
  });
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const { port } = silent.address() as AddressInfo;
  const url = new URL(`http://127.0.0.1:${port}/`);
  const upstream = createUpstream({
    outboundProxy: null,
    privateHosts: [],
    certificateAuthorities: null,
    answerTimeoutMs: 3000,
    signal: new AbortController().signal,
  });
  const asking = upstream.ask({ url, authorization: null }, new URL('some-server', url), '*/*');
  await expect(asking).rejects.toMatchObject({
    shownAs: 'registry_unreachable',
    message: `the package registry 127.0.0.1:${port} cannot be reached (no answer in time)`,
  });
  expect(asked).toBe(2);
  silent.closeAllConnections();
  silent.close();
});
