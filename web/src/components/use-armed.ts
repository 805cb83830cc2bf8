/** Buttons that decide work only after what they decide on has been in sight for a moment. */
import { useEffect, useState } from 'react';

export const armAfterMs = 800;

/**
 * False until `subject` has been shown for `armAfterMs` without a change, and again after the window was out
 * of sight or another had the keyboard: a key or click that was meant for something else decides nothing.
 */
export function useArmed(subject: string): boolean {
  const [armed, setArmed] = useState<string | null>(null);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const begin = () => {
      setArmed(null);
      clearTimeout(timer);
      timer = setTimeout(() => setArmed(subject), armAfterMs);
    };
    begin();
    window.addEventListener('focus', begin);
    document.addEventListener('visibilitychange', begin);
    return () => {
      clearTimeout(timer);
      window.removeEventListener('focus', begin);
      document.removeEventListener('visibilitychange', begin);
    };
  }, [subject]);
  return armed === subject;
}
