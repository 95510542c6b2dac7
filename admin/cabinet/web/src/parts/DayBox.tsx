import { TextInput, type TextInputProps } from "@mantine/core";
import { useEffect, useState } from "react";
import { dayField } from "./dates";

type Props = Omit<TextInputProps, "value" | "onChange"> & { value?: string; onDay: (day?: string) => void };

// DayBox is the field of a day by which a list is filtered, which is in the address. A year that is being typed
// has fewer than four digits, and is no filter yet.
export function DayBox({ value = "", onDay, ...rest }: Props) {
  const [day, setDay] = useState(value);
  useEffect(() => setDay(value), [value]); // Back and links change the address
  return (
    <TextInput
      {...dayField}
      value={day}
      onChange={(e) => {
        const typed = e.currentTarget.value;
        setDay(typed);
        if (!typed.startsWith("0")) onDay(typed || undefined);
      }}
      {...rest}
    />
  );
}
