import { afterAll, beforeAll } from '@jest/globals';
import { containerDriver } from '../container/container-driver.ts';
import { describeInContainers } from '../container/describe-in-containers.ts';
import { describeRuntime } from './contract.ts';

describeInContainers('on a container engine', () => {
  const driver = containerDriver();
  beforeAll(() => driver.begin());
  afterAll(() => driver.end());
  describeRuntime('the container runtime', driver);
});
