/** Whether somebody types there: a key is text in it. */
export const isField = (target: EventTarget | null): boolean =>
  target instanceof Element && target.matches('textarea, select, input:not([type=radio], [type=checkbox])');
