/** The title of the browser's tab: waiting approvals first, so that they show in a narrow tab. */
import { createContext, useContext, useEffect } from 'react';
import { productName } from '../../../contract/product-name.ts';

/** How many requests wait for this person. */
export const WaitingCount = createContext(0);

export function usePageTitle(title: string): void {
  const waiting = useContext(WaitingCount);
  useEffect(() => {
    document.title = `${waiting > 0 ? `(${waiting}) ` : ''}${title} · ${productName}`;
  }, [title, waiting]);
}
