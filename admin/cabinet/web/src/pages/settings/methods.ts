// The payment methods that the program knows, and the secrets that each needs.
export const methods = {
  manual: [],
  stripe: ["secret_key", "webhook_secret"],
  yookassa: ["shop_id", "secret_key"],
  sandbox: [],
} as const;

export type MethodName = keyof typeof methods;
export const isMethod = (name: string): name is MethodName => name in methods;
