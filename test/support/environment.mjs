/** Jest's environment of Node, with a global object that the engine reads directly. */
import vm from 'node:vm';
import { TestEnvironment } from 'jest-environment-node';

/**
 * Jest wraps the global object of a test file in a proxy, to delete at the end what was left on it. Each
 * mention of `Buffer` or `Number` then calls that proxy, which makes code that computes several times slower.
 * Nothing here needs that deletion.
 */
export default class PlainEnvironment extends TestEnvironment {
  constructor(config, context) {
    const { createContext } = vm;
    vm.createContext = () => createContext(vm.constants.DONT_CONTEXTIFY);
    try {
      super(config, context);
    } finally {
      vm.createContext = createContext;
    }
  }
}
