/** The order of the test files: jest's order, except that slow files which look fast start first. */
import Sequencer from '@jest/test-sequencer';

/**
 * Without durations of an earlier run jest takes the largest files first; these are small, and wait
 * for servers and clusters.
 */
const long =
  /test\/(integration\/(store\/revocation|runtime\/.*-runtime|kubernetes\/|container\/|docker\/)|end-to-end\/(kubernetes|compose|restart)|hostile\/hostile-(agent|check)|replay\/|conformance\/)/;

export default class LongFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    return [
      ...sorted.filter(({ path }) => long.test(path)),
      ...sorted.filter(({ path }) => !long.test(path)),
    ];
  }
}
