/** Whether two addresses are the same API: a session whose sidecar reports to another one ends. */
import { describe, expect, it } from '@jest/globals';
import { isSameApi } from '../../../activities/workloads/workload-exit.ts';

describe('the address of the API that a sidecar was given', () => {
  it.each([
    ['http://api.agents.svc:8080', 'http://api.agents.svc:8080/'],
    ['http://api.agents.svc:8080', 'HTTP://API.Agents.svc:8080'],
    ['http://api.agents.svc:8080', 'http://api.agents.svc.:8080'],
    ['http://api.agents.svc:8080', 'http://api.agents.svc:08080'],
    ['http://api.agents.svc', 'http://api.agents.svc:80'],
    ['https://api.agents.svc', 'https://api.agents.svc:443/'],
    ['http://[::1]:8080', 'http://[0:0:0:0:0:0:0:1]:8080'],
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080/below/it?a#b'],
  ])('%s is the same as %s', (one, other) => {
    expect([isSameApi(one, other), isSameApi(other, one)]).toEqual([true, true]);
  });

  it.each([
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8081'],
    ['http://127.0.0.1:8080', 'https://127.0.0.1:8080'],
    ['http://127.0.0.1:8080', 'http://localhost:8080'],
    ['http://api.agents.svc', 'http://api.agents.svc:443'],
    ['http://api.agents.svc', 'http://api.other.svc'],
    ['http://api.agents.svc', 'no address'],
    ['unix:/run/api', 'unix:/run/other'],
  ])('%s is another one than %s', (one, other) => {
    expect([isSameApi(one, other), isSameApi(other, one)]).toEqual([false, false]);
  });
});
