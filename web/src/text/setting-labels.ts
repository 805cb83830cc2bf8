/** Names of settings that other pages mention, too. */
export const keepsRefusedCallsLabel = 'Show the refused call to the people who decide';
