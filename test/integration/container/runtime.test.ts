import { afterAll, beforeAll } from '@jest/globals';
import { describeRuntime } from '../runtime/contract.ts';
import { containerDriver } from './container-driver.ts';
import { describeInContainers } from './describe-in-containers.ts';

describeInContainers('on a container engine', () => {
  const driver = containerDriver();
  beforeAll(() => driver.begin());
  afterAll(() => driver.end());
  describeRuntime('the container runtime', driver);
});
