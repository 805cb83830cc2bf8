import { Alert } from '@mantine/core';
import { useRef } from 'react';
import { useLeadToProblem } from '../../components/use-lead-to-problem.ts';

/** Above a call that is not the one that this person approved; comes into view and takes the focus, each time. */
export function ReplacedCallAlert({ replacements }: { replacements: number }) {
  const ref = useRef<HTMLDivElement>(null);
  useLeadToProblem(ref, replacements, { takesFocus: true });
  return (
    <div ref={ref}>
      <Alert
        color="red"
        role="alert"
        tabIndex={-1}
        className="quiet-focus"
        title="The call of this request is another one by now"
      >
        Your decision was on the call that was shown before. It was refused, and nothing is approved. Review
        the call that is shown now before you decide.
      </Alert>
    </div>
  );
}
