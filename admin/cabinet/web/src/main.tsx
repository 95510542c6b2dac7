import "./frame/styles";
import "@mantine/notifications/styles.css";
import "./frame/frame.css";
import { setNonce } from "get-nonce";
import { createRoot } from "react-dom/client";
import { App } from "./frame/App";
import { nonce } from "./frame/nonce";

setNonce(nonce); // for the styles with which dialogs stop the page from scrolling

addEventListener("keydown", () => void import("./frame/focus"), { once: true });
createRoot(document.getElementById("root")!).render(<App />);
