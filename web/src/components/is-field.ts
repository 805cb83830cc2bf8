const fields =
  'textarea, select, input:not([type=radio], [type=checkbox]), [role=textbox], [role=combobox], ' +
  '[contenteditable]:not([contenteditable=false])';
const menus = '[role=menu], [role=menubar], [role=listbox], [role=tree], [role=grid]';

const isWithin = (target: EventTarget | null, places: string): boolean =>
  target instanceof Element && target.closest(places) !== null;

/** Whether somebody types there: a key is text in it. */
export const isField = (target: EventTarget | null): boolean => isWithin(target, fields);

/** Whether a letter means something there: it is text, or chooses what begins with it. */
export const takesLetters = (target: EventTarget | null): boolean =>
  isField(target) || isWithin(target, menus);
